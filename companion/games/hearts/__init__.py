"""Hearts: a game of tricks whose referee never sees a hand. Its rules stand; no table offers it yet."""
