/** Checks addresses that others give: the address of a next page, and the path of any route. */

/**
 * Reads an address below the service's own.
 * @param base the service's address without a slash at its end
 * @param address a path from the service's address on, or a whole address
 * @returns path and query from the service's address on; undefined when the address leads elsewhere
 */
export function readPathBelow(base: string, address: string): string | undefined {
  const path = address.startsWith(`${base}/`) ? address.slice(base.length) : address
  if (!path.startsWith('/') || path.startsWith('//') || !URL.canParse(`${base}${path}`)) return undefined
  const root = new URL(`${base}/`)
  const target = new URL(`${base}${path}`) // folds dots, written out or as %2e, as fetch does
  const isBelow = target.origin === root.origin && target.pathname.startsWith(root.pathname)
  return isBelow ? `${target.pathname.slice(root.pathname.length - 1)}${target.search}` : undefined
}
