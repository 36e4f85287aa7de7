#!/usr/bin/env node
/** The executable `ferrule`. It only points to `ferrule-server`, which was called `ferrule` in earlier versions. */
process.stderr.write('The commands of the service are in ferrule-server, the command of the package @ferrule/server.\n')
process.exitCode = 64 // EX_USAGE of sysexits.h
