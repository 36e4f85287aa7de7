/** Draws the page that the address names. */
import { Loader } from '@mantine/core'
import { type ComponentType, lazy, Suspense } from 'react'
import { Route, Switch, useLocation } from 'wouter'
import { pages } from '../pages.ts'
import { ErrorBoundary } from '../parts/error-boundary.tsx'
import { PageHeader } from '../parts/page-header.tsx'
import { PageLink } from '../parts/page-link.tsx'

const lazyPages: readonly (readonly [path: string, page: ComponentType])[] = pages.map(({ path, load }) => [
  path,
  lazy(async () => ({ default: (await load()).Page })),
])

/** Says that an address names no page. */
const NoSuchPage = () => (
  <PageHeader title="There is no such page" about="The address names no page of the console.">
    <PageLink to="/">Go to the overview</PageLink>
  </PageHeader>
)

/** Shows the page; its code is loaded with its first use. */
export function PageOfAddress() {
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
