import { literal } from './names.ts'

/** A moment in a result, as SQL of the engine. */
export interface WallClock {
  /** A TIMESTAMP: what the clock on the wall shows. */
  readonly wall: string
  /** Nanoseconds inside the second. */
  readonly nanos: string
  /** Minutes east of UTC. */
  readonly offset: string
}

/** Elements of the vendor's formats that `strftime` has too. */
const elements: Readonly<Record<string, string>> = {
  YYYY: '%Y',
  YY: '%y',
  MMMM: '%B',
  MON: '%b',
  MM: '%m',
  DD: '%d',
  DY: '%a',
  HH24: '%H',
  HH12: '%I',
  HH: '%H',
  AM: '%p',
  PM: '%p',
  MI: '%M',
  SS: '%S',
}

const element = /"[^"]*"|YYYY|YY|MMMM|MON|MM|DD|DY|HH24|HH12|HH|AM|PM|MI|SS|FF\d?|TZH:?TZM|TZH|TZM|[\s\S]/gi

function fraction(token: string, nanos: string): string {
  const digits = token.length > 2 ? Number(token.slice(2)) : 9
  return `substr(lpad(CAST(${nanos} AS VARCHAR), 9, '0'), 1, ${digits})`
}

function zone(token: string, offset: string): string {
  const hours = `CASE WHEN ${offset} < 0 THEN '-' ELSE '+' END || lpad(CAST(abs(${offset}) // 60 AS VARCHAR), 2, '0')`
  const minutes = `lpad(CAST(abs(${offset}) % 60 AS VARCHAR), 2, '0')`
  const forms: Readonly<Record<string, string>> = {
    TZH: hours,
    TZM: minutes,
    TZHTZM: `${hours} || ${minutes}`,
    'TZH:TZM': `${hours} || ':' || ${minutes}`,
  }
  return forms[token] ?? minutes
}

function elementSql(raw: string, { wall, nanos, offset }: WallClock): string {
  const token = raw.toUpperCase()
  if (raw.startsWith('"')) return literal(raw.slice(1, -1))
  if (token.startsWith('FF')) return fraction(token, nanos)
  if (token.startsWith('TZ')) return zone(token, offset)
  const known = elements[token]
  return known ? `strftime(${wall}, '${known}')` : literal(raw)
}

/**
 * SQL of the text that a moment becomes in one of the vendor's formats, such as `YYYY-MM-DD HH24:MI:SS.FF3 TZHTZM`.
 *
 * @param format - as a session parameter has it
 * @param clock - the moment
 */
export function formatted(format: string, clock: WallClock): string {
  const parts = format.match(element) ?? []
  return parts.length === 0 ? "''" : parts.map((part) => `(${elementSql(part, clock)})`).join(' || ')
}
