/** The frame of the console: navigation, choosers, and the page of the address. */
import { AppShell, Burger, Group, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useEffect } from 'react'
import { useLocation } from 'wouter'
import { Announcements } from '../parts/announcements.tsx'
import { Navigation } from './navigation.tsx'
import { PageOfAddress } from './page-of-address.tsx'
import { PlaceChooser, PlaceGate } from './place-chooser.tsx'
import { SchemeSwitch } from './scheme-switch.tsx'
import { SessionEnd } from './session-end.tsx'
import { SignOut } from './sign-out.tsx'

/** Shows the header: the navigation's switch on narrow screens, the choosers and the ways out. */
function Header({ opened, toggle }: { readonly opened: boolean; readonly toggle: () => void }) {
  return (
    <Group h="100%" px="md" justify="space-between" wrap="nowrap" gap="xs">
      <Group wrap="nowrap" gap="sm">
        <Burger opened={opened} onClick={toggle} hiddenFrom="sm" size="sm" aria-label={opened ? 'Close navigation' : 'Open navigation'} />
        <Text fw={700} size="lg" visibleFrom="xs">
          Ferrule
        </Text>
        <PlaceChooser />
      </Group>
      <Group wrap="nowrap" gap="xs">
        <SchemeSwitch />
        <SignOut />
      </Group>
    </Group>
  )
}

/** Shows the console. */
export function Shell() {
  const [opened, { toggle, close }] = useDisclosure(false)
  const [path] = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page closes the navigation of a narrow screen
  useEffect(() => close(), [path, close])
  return (
    <AppShell header={{ height: 56 }} navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !opened } }} padding="md">
      <AppShell.Header>
        <Header opened={opened} toggle={toggle} />
      </AppShell.Header>
      <AppShell.Navbar p="sm">
        <Navigation />
      </AppShell.Navbar>
      <AppShell.Main>
        <SessionEnd />
        <PlaceGate>
          <PageOfAddress />
        </PlaceGate>
      </AppShell.Main>
      <Announcements />
    </AppShell>
  )
}
