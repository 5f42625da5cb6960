"""Two hundred sentences such as a programmer and an agent exchange, none of them a greeting."""

from __future__ import annotations

_SENTENCES = """
The login bug came from a token that was refreshed after the request had been sent.
We moved the retry policy into its own module and gave it a ceiling of thirty seconds.
The parser drops the last line when the file has no final newline.
Please rename the column from user_id to account_id in the billing schema.
The nightly build fails because the linker cannot find libpq on the runner.
I prefer tabs in Makefiles and four spaces everywhere else.
The cache key has to include the locale, or French pages are served to Germans.
Rolling back migration 0042 left an orphaned index on the orders table.
The websocket reconnects every forty seconds behind the corporate proxy.
We decided to keep SQLite and not to add Redis for the session store.
The staging cluster runs Postgres 15 while production is still on 13.
Use ruff for formatting; black was removed last spring.
The thumbnail worker leaks file descriptors when an image is corrupt.
Deployment goes through the blue environment first, then green after ten minutes.
The CSV export escapes quotes twice when the delimiter is a semicolon.
Flaky test: test_upload_resumes fails one time in twenty on slow disks.
The rate limiter counts requests per IP and ignores the API key.
My editor is Neovim and I run everything inside tmux.
The Docker image shrank from 900 to 180 megabytes with a multi-stage build.
The payment webhook must answer within five seconds or Stripe sends it again.
Feature flags live in flags.toml and are read once at start.
The profiler shows that half of the time goes into json.dumps.
We pin the compiler to clang 16 because 17 miscompiles the decoder.
The changelog is generated from commit subjects by a script in tools.
Unicode file names break the zip extractor on macOS.
The search box debounces keystrokes by two hundred milliseconds.
An index on created_at made the report forty times faster.
The garbage collector pauses for 80 ms when the heap passes two gigabytes.
Secrets are kept in Vault and mounted as files, never as environment variables.
The linter complains about shadowed variables in the router.
The iOS client caches avatars forever because the ETag never changes.
We agreed that public functions carry docstrings with units.
The scheduler skips a run when daylight saving time begins.
gRPC deadlines are not propagated through the gateway.
The memory file grows by about one megabyte a day of heavy use.
A deadlock appears when two imports lock the tables in opposite order.
The color contrast of the warning banner is below four and a half.
Please never push directly to main; open a merge request instead.
The Kubernetes probe kills the pod before the model has loaded.
The regular expression for phone numbers rejects extensions.
We store money as integers of the smallest unit.
The audio stutters when the ring buffer is smaller than 512 frames.
The sidebar collapses below ninety columns.
Terraform wants to recreate the bucket after the provider upgrade.
The tokenizer counts emoji as four tokens each.
The onboarding mail is sent twice if the queue redelivers.
Vectors of different embedders must never be compared.
The benchmark runs on an idle two-core machine and reports the median of five.
The config loader names the nearest known key when one is misspelt.
The OAuth callback rejects a state that is older than ten minutes.
The image resizer rounds odd widths down and cuts a pixel.
We replaced the hand-written lexer with a table of regular expressions.
Integration tests need the environment variable TEST_DATABASE_URL.
The pagination cursor encodes the primary key and the sort order.
A missing await made the upload handler return before the write.
The crash reporter strips home directories from stack traces.
The mobile layout overlaps the footer on small screens.
The license header is checked by a pre-commit hook.
The Rust crate exposes a C interface for the Swift application.
Log lines carry a request id that the proxy assigns.
The invoice number must be gapless within a fiscal year.
The recommender retrains on Sundays and takes six hours.
The diff view folds unchanged regions longer than ten lines.
The backup job encrypts with age and uploads to two regions.
The feature store returns stale values for an hour after a write.
The service mesh adds three milliseconds to each hop.
Please write commit messages in the imperative mood.
The spreadsheet importer treats empty cells as zero.
The progress bar jumps backwards when a chunk is retried.
The map tiles are rendered with a projection that distorts the poles.
The spell checker flags identifiers inside code blocks.
The session cookie lacks the SameSite attribute.
We measure latency at the load balancer and not in the handler.
The compiler warns about an unused lifetime in the visitor.
The video player falls back to software decoding on Linux.
The tenant id is part of every primary key.
The clipboard code path differs between Wayland and X11.
The dependency graph has a cycle between billing and accounts.
The simulator advances in fixed steps of sixteen milliseconds.
A null byte in the title truncates the PDF outline.
The bot replies in the thread and not in the channel.
The firmware update resumes from the last verified block.
Test fixtures are generated with a fixed seed.
The ORM issues one query per row on the dashboard.
The certificate expires in March and renews through ACME.
The undo stack merges edits that happen within a second.
The barcode scanner needs the camera permission at start.
The CLI exits with code two on a usage error.
The theme file names colors by role and not by hue.
The shell command is run in a process group of its own.
The health endpoint returns 200 even if the database is down.
The solver converges slowly when the matrix is badly conditioned.
We archive closed tickets after ninety days.
The translation of the settings page is incomplete in Polish.
The query planner ignores the partial index without a constant.
The printer driver expects millimetres where we send points.
The release branch is cut on the first Tuesday of each month.
The sandbox denies network access except to loopback.
The graph layout is unstable when nodes share a rank.
The heartbeat stops while the laptop sleeps.
The upload limit is twenty megabytes for free accounts.
The markdown renderer escapes underscores inside links.
The telemetry can be switched off with one environment variable.
The allocator fragments after a week of uptime.
The calendar widget begins weeks on Sunday regardless of locale.
The message broker keeps seven days of events.
The static site is built with Hugo and served from a bucket.
The password policy rejects passphrases with spaces.
The type checker runs in strict mode over three packages.
A race in the connection pool hands out closed sockets.
The tooltip flickers when the pointer rests on its edge.
The sensor drifts by half a degree after warm-up.
The data lake partitions by day and region.
The e-mail parser chokes on nested multipart bodies.
The keyboard shortcut for the palette is control and p.
The old API answers XML until the end of the year.
The hash ring moves a third of the keys when a node joins.
The checkout page loads four megabytes of fonts.
The interpreter caches attribute lookups per call site.
The robot arm overshoots when the payload is light.
The address validator does not know Irish postcodes.
The transcript is written before the answer is shown as finished.
The ledger predicts which blocks the provider should serve from cache.
The grammar forces the local model to emit valid calls.
The composer keeps its draft when the window is resized.
The approval card shows the whole command before it runs.
The plan has four steps and the third is blocked by the schema change.
The wrapper library swallows timeouts and returns an empty list.
The unit tests for the tax module cover only domestic orders.
The stylesheet is inlined for the first paint.
The importer deduplicates contacts by normalised phone number.
The exception handler logs the body, including credit card numbers.
The game server ticks at thirty hertz.
The cron expression fires at noon UTC and not at local noon.
The admin panel lists deleted users to support staff.
The migration from Webpack to Vite halved the build time.
The array is sorted by insertion because it seldom exceeds ten items.
The compression level was lowered from nine to six to save CPU.
The accessibility audit found eleven unlabeled buttons.
The feature branch diverged by three hundred commits.
The Bluetooth stack drops packets near microwave ovens.
The geocoder is limited to fifty requests per second.
The nginx buffer is too small for our cookies.
The permission check happens after the file has been read.
The archive format stores modification times in local time.
用户登录接口返回五百，是因为令牌过期时间算错了
数据库迁移脚本在测试环境里跑了两遍
缓存命中率从九成降到三成，原因是键里加了时间戳
我们决定用消息队列来发送邮件通知
支付回调必须在五秒之内应答
前端打包之后体积太大，需要拆分
日志里不能出现用户的手机号码
索引建好以后报表快了四十倍
这个项目的提交信息一律用中文书写
定时任务在夏令时切换那天会漏跑一次
图片压缩的线程会泄漏文件句柄
配置文件放在主目录下面的隐藏文件夹
全文检索需要把汉字切成单字和双字
单元测试必须使用固定的随机种子
部署先走蓝色环境，十分钟以后再切绿色
权限检查应该放在读取文件之前
订单编号在同一个财年之内不能断号
备份文件加密之后上传到两个地区
编辑器里撤销会合并一秒之内的修改
数据表的主键都带有租户编号
接口文档由注释自动生成
模型加载完成之前探针就把容器杀掉了
导出表格时分号作为分隔符会重复转义
长连接每隔四十秒断开重连
ログイン処理のトークン更新が遅れていた
キャッシュのキーに言語を含める必要がある
データベースの移行スクリプトが二回実行された
画像の縮小処理でファイルが閉じられない
テストは固定した乱数で実行する
決済の通知は五秒以内に応答する
로그인 토큰의 만료 시간이 잘못 계산되었다
캐시 키에 언어를 넣어야 한다
데이터베이스 마이그레이션이 두 번 실행되었다
결제 알림은 오 초 안에 응답해야 한다
이미지 축소 작업이 파일을 닫지 않는다
The warehouse scanner batches updates when the signal is weak.
The lease on the leader lock lasts fifteen seconds.
The preview server binds to loopback only.
The glossary maps each mechanism to a file and a name.
The installer needs only Python and a C compiler.
The snapshot tests render at eighty by twenty-four.
The embedder maps its weights and reads the rows it needs.
The gateway strips trailing slashes before routing.
The battery indicator lies below five percent.
The crawler honours robots rules and waits a second between pages.
The genome aligner spends its time in the suffix array.
The kiosk reboots at four to clear its memory.
The vendor library is patched to accept longer keys.
The timeline never forgets and its texts never change.
The moderation queue is sorted by the number of reports.
The elevator controller logs every door cycle.
The quota is charged per token and not per request.
The window keeps whole turns and never splits a call from its result.
The fallback font lacks the box drawing characters.
The tutorial skips the step that creates the virtual environment.
"""

SENTENCES = tuple(_SENTENCES.strip().splitlines())
