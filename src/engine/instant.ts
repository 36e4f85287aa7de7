/**
 * A moment (ISO 8601) as milliseconds since 1970; NaN when it is none. `Date.parse` knows no leap second (`23:59:60Z`, which
 * RFC 3339 allows): it counts as the second after it, as POSIX time does.
 */
export function instantOf(value: unknown): number {
  const text = String(value)
  const milliseconds = Date.parse(text)
  return Number.isNaN(milliseconds) ? Date.parse(text.replace(/:60(?=[.Zz+-])/, ':59')) + 1000 : milliseconds
}
