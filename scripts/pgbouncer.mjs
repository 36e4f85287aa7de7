import { ensureProgram } from './programs.mjs'

/**
 * Finds PgBouncer for the tests of a pooler; on Debian, as root, installs it when it is missing.
 * @returns {Promise<string>} path of the executable
 * @throws when it is missing and cannot be installed
 */
export const ensurePgBouncer = () =>
  ensureProgram({
    setting: 'PGBOUNCER_PATH',
    package: 'pgbouncer',
    places: ['/usr/sbin/pgbouncer', 'pgbouncer', '/opt/homebrew/bin/pgbouncer', '/usr/local/bin/pgbouncer'],
    advice: 'The tests of a pooler need PgBouncer 1.18 or later: install it, or set PGBOUNCER_PATH to its executable.',
  })
