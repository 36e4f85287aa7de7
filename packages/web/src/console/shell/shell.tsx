/** The frame of the console: navigation, choosers, and the page of the address. */
import { AppShell, Burger, Group, Text } from '@mantine/core'
import { useDisclosure, useMediaQuery } from '@mantine/hooks'
import { useEffect } from 'react'
import { useLocation } from 'wouter'
import { Announcements } from '../parts/announcements.tsx'
import { LeaveQuestion } from './leave-question.tsx'
import { Navigation } from './navigation.tsx'
import { PageOfAddress } from './page-of-address.tsx'
import { Palette } from './palette.tsx'
import { PlaceChooser, PlaceGate } from './place-chooser.tsx'
import { SchemeSwitch } from './scheme-switch.tsx'
import { SessionEnd } from './session-end.tsx'
import { SignOut } from './sign-out.tsx'

interface HeaderProps {
  readonly opened: boolean
  readonly toggle: () => void
  readonly isWide: boolean
}

/** Shows the header: the navigation's switch on narrow screens, the choosers and the ways out. */
function Header({ opened, toggle, isWide }: HeaderProps) {
  return (
    <Group h="100%" px="md" justify="space-between" wrap="nowrap" gap="xs">
      <Group wrap="nowrap" gap="sm">
        <Burger opened={opened} onClick={toggle} hiddenFrom="sm" size="sm" aria-label={opened ? 'Close navigation' : 'Open navigation'} />
        <Text fw={700} size="lg">
          Ferrule
        </Text>
        {isWide && <PlaceChooser />}
      </Group>
      <Group wrap="nowrap" gap="xs">
        <Palette />
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
  const isWide = useMediaQuery('(min-width: 48em)', true, { getInitialValueInEffect: false })
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page closes the navigation of a narrow screen
  useEffect(() => close(), [path, close])
  return (
    <AppShell header={{ height: 56 }} navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !opened } }} padding="md">
      <a className="skip-link" href="#page">
        Skip to the page
      </a>
      <AppShell.Header>
        <Header opened={opened} toggle={toggle} isWide={isWide} />
      </AppShell.Header>
      <AppShell.Navbar p="sm">
        {!isWide && <PlaceChooser />}
        <Navigation />
      </AppShell.Navbar>
      <AppShell.Main id="page" tabIndex={-1}>
        <SessionEnd />
        <PlaceGate>
          <PageOfAddress />
        </PlaceGate>
      </AppShell.Main>
      <Announcements />
      <LeaveQuestion />
    </AppShell>
  )
}
