"""Whether memory gets cheaper and better with use: the learning protocol, run on the product."""
