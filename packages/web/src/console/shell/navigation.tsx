/** The list of pages. */
import { NavLink, Stack, Text } from '@mantine/core'
import { Link, useLocation } from 'wouter'
import { basePath } from '../data/page-facts.ts'
import { printAddress, usePlace } from '../data/place.ts'
import { type ConsolePage, groups, pages } from '../pages.ts'

/** Returns whether an address shows a page or something below it. */
const isShown = (path: string, page: ConsolePage): boolean =>
  page.path === '/' ? path === '/' : path === page.path || path.startsWith(`${page.path}/`)

/** Shows the pages of a group. */
function NavigationGroup({ group }: { readonly group: (typeof groups)[number] }) {
  const place = usePlace()
  const [path] = useLocation()
  const own = pages.filter((page) => page.group === group)
  if (own.length === 0) return null
  return (
    <Stack gap={2}>
      <Text size="xs" fw={600} c="dimmed" px="xs">
        {group}
      </Text>
      {own.map((page) => (
        <NavLink
          key={page.path}
          component={Link}
          href={printAddress(page.path, place)}
          label={page.title}
          active={isShown(path, page)}
          {...(isShown(path, page) ? { 'aria-current': 'page' } : {})}
        />
      ))}
      {group === 'Help' && <NavLink href={`${basePath}/docs`} label="Documentation" />}
    </Stack>
  )
}

/** Shows all groups. */
export function Navigation() {
  return (
    <Stack component="nav" aria-label="Pages" gap="md">
      {groups.map((group) => (
        <NavigationGroup key={group} group={group} />
      ))}
    </Stack>
  )
}
