@rem On Windows, what `exec` of the package scripts means: runs the command. Elsewhere it is the shell's own word, needed so that
@rem npm's signals reach the launcher instead of a shell in between.
@%*
