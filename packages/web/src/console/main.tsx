/** Starts the console, in its frame: navigation, choosers, and the page of the address. */
import { PlainButton } from './parts/looks.tsx'
import '../shared/tokens.css'
import '@mantine/core/styles.css'
import './console.css'
import {
  ActionIcon,
  Alert,
  AppShell,
  Burger,
  Button,
  type CSSVariablesResolver,
  createTheme,
  Group,
  Kbd,
  Loader,
  MantineProvider,
  Menu,
  NavLink,
  Select,
  Stack,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core'
import { useDisclosure, useHotkeys, useMediaQuery } from '@mantine/hooks'
import IconBook2 from '@tabler/icons-react/icons/IconBook2'
import IconContrast from '@tabler/icons-react/icons/IconContrast'
import { focusManager, QueryClientProvider } from '@tanstack/react-query'
import { Component, type ComponentType, lazy, type ReactNode, StrictMode, Suspense, useEffect, useState, useSyncExternalStore } from 'react'
import { createRoot } from 'react-dom/client'
import { Link, Route, Router, Switch, useLocation } from 'wouter'
import mark from '../shared/mark.svg'
import { leaveQuestion, watchLeaving } from './data/leaving.ts'
import { useOrganizations, useWorkspaces } from './data/organizations.ts'
import { basePath, consolePath, styleNonce } from './data/page-facts.ts'
import { createQueryClient, sessionEnd } from './data/query-client.ts'
import { signOut } from './data/sign-out.ts'
import { printAddress, useSetTenant, useTenant } from './data/tenant.ts'
import { type ConsolePage, groups, type Icon, pages } from './pages.ts'
import { Announcements } from './parts/announcements.tsx'
import { ConfirmDialog } from './parts/confirm-dialog.tsx'
import { ErrorBox } from './parts/error-box.tsx'
import { PageHeader } from './parts/page-header.tsx'
import { PageLink } from './parts/page-link.tsx'
import { ReadingView } from './parts/reading-view.tsx'

/** Time without input after which a page counts as left alone, in milliseconds. */
const aloneMs = 10 * 60_000
const inputs = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const

/** Lets repeated reads pause while the page is hidden, or has had no input for a while. They resume with the next input. */
function watchAttention(): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const look = () => focusManager.setFocused(document.visibilityState === 'visible')
  const note = () => {
    clearTimeout(timer)
    timer = setTimeout(() => focusManager.setFocused(false), aloneMs)
    look()
  }
  for (const name of inputs) window.addEventListener(name, note, { passive: true })
  document.addEventListener('visibilitychange', note)
  note()
}

/** The scale that Mantine draws the dark scheme with, from text to page. */
const dark = [
  ...['var(--text)', 'var(--soft)', 'var(--soft)', 'var(--field)', 'var(--line)'],
  ...['var(--line)', 'var(--quiet)', 'var(--card)', 'var(--page)', 'var(--page)'],
] as const

/** Mantine's own colors miss the contrast of WCAG 2.2 AA in badges and buttons; these options reach it in both schemes. */
const theme = createTheme({
  respectReducedMotion: true,
  autoContrast: true,
  luminanceThreshold: 0.179,
  primaryShade: 8,
  primaryColor: 'indigo',
  fontFamily: 'var(--font)',
  radius: { md: 'var(--radius)' },
  defaultRadius: 'md',
  colors: { dark },
  cursorType: 'pointer',
  components: {
    Loader: { defaultProps: { role: 'status' } },
    Badge: { defaultProps: { variant: 'light', radius: 'sm', tt: 'none', size: 'md' } },
    NavLink: { styles: { root: { borderRadius: 'var(--mantine-radius-md)' } } },
    Modal: {
      defaultProps: { closeButtonProps: { 'aria-label': 'Close' } },
      styles: { title: { fontSize: 'var(--mantine-font-size-lg)', fontWeight: 600 } },
    },
  },
})

/** Darkens the text of light badges and messages. */
const darkenLight = (names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.map((name) => [`--mantine-color-${name}-light-color`, `color-mix(in srgb, var(--mantine-color-${name}-9) 70%, black)`]),
  )

/** Gives Mantine the tokens instead of its own colors. */
const tokens = {
  '--mantine-color-text': 'var(--text)',
  '--mantine-color-dimmed': 'var(--soft)',
  '--mantine-color-placeholder': 'var(--soft)',
  '--mantine-color-error': 'var(--bad)',
  '--mantine-color-anchor': 'var(--link)',
  '--mantine-color-default-border': 'var(--line)',
  '--mantine-color-gray-light': 'color-mix(in srgb, var(--soft) 18%, transparent)',
  '--mantine-color-gray-light-color': 'var(--text)',
  '--mantine-color-indigo-filled': 'var(--main)',
  '--mantine-color-indigo-filled-hover': 'var(--main-hover)',
  '--mantine-color-indigo-light': 'var(--quiet)',
  '--mantine-color-indigo-light-color': 'var(--link)',
  '--mantine-primary-color-filled': 'var(--main)',
  '--mantine-color-red-outline': 'var(--bad)',
  '--mantine-color-red-outline-hover': 'var(--bad-back)',
}

/** Gives both schemes the tokens. */
const resolveVariables: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: { ...darkenLight(Object.keys(colors)), ...tokens },
  dark: tokens,
})

const root = document.getElementById('root')
// The lock of the scrollbar behind a dialog writes a style element, and takes its nonce from this name.
Reflect.set(globalThis, '__webpack_nonce__', styleNonce)

const queryClient = createQueryClient()
watchAttention()
watchLeaving()

if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <MantineProvider theme={theme} cssVariablesResolver={resolveVariables} defaultColorScheme="auto" getStyleNonce={() => styleNonce}>
        <QueryClientProvider client={queryClient}>
          <Router base={consolePath}>
            <Shell />
          </Router>
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  )

/** Returns whether an address shows a page or something below it. */
const isShown = (path: string, page: ConsolePage): boolean =>
  page.path === '/' ? path === '/' : path === page.path || path.startsWith(`${page.path}/`)

/** Draws an icon of the navigation; its title says the same. */
const PageIcon = ({ icon: Shown }: { readonly icon: Icon }) => <Shown size={18} stroke={1.75} aria-hidden="true" />

function NavigationGroup({ group }: { readonly group: (typeof groups)[number] }) {
  const tenant = useTenant()
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
          href={printAddress(page.path, tenant)}
          label={page.title}
          leftSection={page.icon !== undefined && <PageIcon icon={page.icon} />}
          active={isShown(path, page)}
          {...(isShown(path, page) ? { 'aria-current': 'page' } : {})}
        />
      ))}
      {group === 'Help' && <NavLink href={`${basePath}/docs`} label="Documentation" leftSection={<PageIcon icon={IconBook2} />} />}
    </Stack>
  )
}

function Navigation() {
  return (
    <Stack component="nav" aria-label="Pages" gap="md">
      {groups.map((group) => (
        <NavigationGroup key={group} group={group} />
      ))}
    </Stack>
  )
}

const lazyPages: readonly (readonly [path: string, page: ComponentType])[] = pages.map(({ path, load }) => [
  path,
  lazy(async () => ({ default: (await load()).Page })),
])

const NoSuchPage = () => (
  <PageHeader title="There is no such page" about="The address names no page of the console.">
    <PageLink to="/">Go to the overview</PageLink>
  </PageHeader>
)

/** Shows the page; its code is loaded with its first use. */
function PageOfAddress() {
  const [path] = useLocation()
  return (
    <ErrorBoundary key={path}>
      <Suspense fallback={<Loader aria-label="Loading the page" />}>
        <Switch>
          {lazyPages.map(([each, Page]) => (
            <Route key={each} path={each} component={Page} />
          ))}
          <Route component={NoSuchPage} />
        </Switch>
      </Suspense>
    </ErrorBoundary>
  )
}

/** Shows the question; the frame has it once. */
function LeaveQuestion() {
  const leave = useSyncExternalStore(leaveQuestion.subscribe, leaveQuestion.read)
  return (
    <ConfirmDialog
      opened={leave !== undefined}
      title="Leave without storing?"
      action="Leave"
      onConfirm={() => leave?.()}
      onClose={leaveQuestion.stay}
    >
      What you entered is not stored yet. It is lost when you leave.
    </ConfirmDialog>
  )
}

function SignOut() {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <PlainButton>Sign out</PlainButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => signOut({ isEverywhere: false })}>Sign out here</Menu.Item>
        <Menu.Item onClick={() => signOut({ isEverywhere: true })}>Sign out everywhere</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

/** Shows the message, and leads to the sign-in, which returns to this page. */
function SessionEnd() {
  const isEnded = useSyncExternalStore(sessionEnd.subscribe, sessionEnd.read)
  if (!isEnded) return null
  return (
    <Alert color="yellow" title="Your session has ended" mb="md" role="alert">
      <Group justify="space-between">
        <Text size="sm">What you see was read before. Sign in again to continue here.</Text>
        <Button onClick={() => location.reload()}>Sign in again</Button>
      </Group>
    </Alert>
  )
}

/** Shows the switch. The first scheme is the one of the reader's system. */
function SchemeSwitch() {
  const { setColorScheme } = useMantineColorScheme()
  const shown = useComputedColorScheme('light')
  const other = shown === 'light' ? 'dark' : 'light'
  return (
    <ActionIcon variant="default" size="lg" onClick={() => setColorScheme(other)} aria-label={`Use the ${other} colors`}>
      <IconContrast size={18} aria-hidden="true" />
    </ActionIcon>
  )
}

/** Shows the header: the navigation's switch on narrow screens, the choosers and the ways out. */
function Header({ opened, toggle, isWide }: { readonly opened: boolean; readonly toggle: () => void; readonly isWide: boolean }) {
  return (
    <Group h="100%" px="md" justify="space-between" wrap="nowrap" gap="xs">
      <Group wrap="nowrap" gap="sm">
        <Burger opened={opened} onClick={toggle} hiddenFrom="sm" size="sm" aria-label={opened ? 'Close navigation' : 'Open navigation'} />
        <img src={mark} alt="" width="28" height="28" />
        <Text fw={700} size="lg" visibleFrom="sm">
          Ferrule
        </Text>
        {isWide && <TenantChooser />}
      </Group>
      <Group wrap="nowrap" gap="xs">
        <Palette />
        <SchemeSwitch />
        <SignOut />
      </Group>
    </Group>
  )
}

function Shell() {
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
        {!isWide && <TenantChooser />}
        <Navigation />
      </AppShell.Navbar>
      <AppShell.Main id="page" tabIndex={-1}>
        <SessionEnd />
        <TenantGate>
          <PageOfAddress />
        </TenantGate>
      </AppShell.Main>
      <Announcements />
      <LeaveQuestion />
    </AppShell>
  )
}

const LazyDialog = lazy(async () => ({ default: (await import('./shell/palette-dialog.tsx')).PaletteDialog }))

/** Takes letters that are typed outside of dialogs: on a busy machine people type before the palette is there. @returns what ends it */
function takeLetters(take: (letter: string) => void): () => void {
  const hear = (event: KeyboardEvent) => {
    const { key, target, ctrlKey, metaKey, altKey } = event
    const isInDialog = target instanceof Element && target.closest('[role="dialog"]') !== null
    if (key.length !== 1 || ctrlKey || metaKey || altKey || isInDialog) return
    event.preventDefault()
    take(key)
  }
  addEventListener('keydown', hear, true)
  return () => removeEventListener('keydown', hear, true)
}

/** Shows the button; the dialog and its code come with the first use. */
function Palette() {
  const [opened, setOpened] = useState<boolean>()
  const [typed, setTyped] = useState('')
  const open = () => {
    if (opened !== true) setTyped('')
    setOpened(true)
  }
  useHotkeys([['mod+K', open]], [])
  useEffect(() => (opened === true ? takeLetters((letter) => setTyped((before) => before + letter)) : undefined), [opened])
  return (
    <>
      <PlainButton onClick={open} rightSection={<Kbd visibleFrom="md">Ctrl K</Kbd>} aria-keyshortcuts="Control+K Meta+K">
        Go to
      </PlainButton>
      {opened !== undefined && (
        <Suspense fallback={null}>
          <LazyDialog {...{ opened, typed }} onType={setTyped} onClose={() => setOpened(false)} />
        </Suspense>
      )}
    </>
  )
}

/** Returns whether a browser could not load the code of a page: another version was installed, or the service does not answer. */
const isCodeMissing = (error: unknown): boolean =>
  error instanceof Error && /dynamically imported module|module script failed|preload CSS/i.test(error.message)

const reload = () => location.reload()

/** Shows what happened instead of the page. */
function Fallback({ error }: { readonly error: unknown }) {
  if (!isCodeMissing(error)) return <ErrorBox error={error} title="This page has failed" onRetry={reload} />
  return (
    <Alert color="yellow" title="This page could not be loaded">
      <Stack align="flex-start">
        <Text size="sm">The service was updated, or it does not answer. Load the console again.</Text>
        <Button onClick={reload}>Load again</Button>
      </Stack>
    </Alert>
  )
}

/** Draws its children, or what went wrong with them. Give it a `key` that changes with the page. */
class ErrorBoundary extends Component<{ readonly children: ReactNode }, { readonly error: unknown; readonly hasFailed: boolean }> {
  override state = { error: undefined, hasFailed: false }

  static getDerivedStateFromError(error: unknown) {
    return { error, hasFailed: true }
  }

  override render(): ReactNode {
    return this.state.hasFailed ? <Fallback error={this.state.error} /> : this.props.children
  }
}

/** Shows the choosers. An application of one organization has no chooser for it. */
function TenantChooser() {
  const { organizationId, workspace } = useTenant()
  const setTenant = useSetTenant()
  const organizations = useOrganizations().data ?? []
  const isChosen = organizationId !== undefined || organizations.length === 1
  const found = (useWorkspaces({ enabled: isChosen }).data?.data ?? []).map(({ name }) => name)
  const names = workspace === undefined || found.includes(workspace) ? found : [workspace, ...found]
  return (
    <Group gap="xs" mb={{ base: 'md', sm: 0 }}>
      {organizations.length > 1 && (
        <Select
          aria-label="Organization"
          data={organizations.map(({ id, name }) => ({ value: id, label: name }))}
          value={organizationId ?? null}
          onChange={(id) => id !== null && setTenant({ organizationId: id, workspace: undefined })}
          allowDeselect={false}
          searchable
          w={{ base: '100%', sm: 190 }}
        />
      )}
      <Select
        aria-label="Workspace"
        placeholder="All workspaces"
        data={names}
        value={workspace ?? null}
        onChange={(name) => setTenant({ workspace: name ?? undefined })}
        clearable
        searchable
        w={{ base: '100%', sm: 190 }}
      />
    </Group>
  )
}

/** Draws the page when an organization is known. An application of several organizations begins in the first one. */
function TenantGate({ children }: { readonly children: ReactNode }) {
  const { organizationId } = useTenant()
  const setTenant = useSetTenant()
  const reading = useOrganizations()
  const [first, ...others] = reading.data ?? []
  const chosen = organizationId === undefined && others.length > 0 ? first?.id : undefined
  useEffect(() => {
    if (chosen !== undefined) setTenant({ organizationId: chosen })
  }, [chosen, setTenant])
  return <ReadingView reading={reading}>{() => chosen === undefined && children}</ReadingView>
}
