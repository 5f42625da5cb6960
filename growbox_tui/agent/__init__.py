"""The spine: messages, events, the loop, dispatch, the gate and the session. No Textual, no SQL."""
