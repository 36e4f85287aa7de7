/**
 * Parses a timestamp (ISO 8601) to milliseconds since 1970; NaN for anything else. `Date.parse` refuses leap seconds (`23:59:60Z`, which
 * RFC 3339 allows): they count as the next second, as in POSIX time.
 */
export function parseTimestamp(value: unknown): number {
  const text = String(value)
  const milliseconds = Date.parse(text)
  return Number.isNaN(milliseconds) ? Date.parse(text.replace(/:60(?=[.Zz+-])/, ':59')) + 1000 : milliseconds
}
