/** Keeps an error of one page from taking the console with it. */
import { Alert, Button, Stack, Text } from '@mantine/core'
import { Component, type ReactNode } from 'react'
import { ErrorBox } from './error-box.tsx'

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
export class ErrorBoundary extends Component<{ readonly children: ReactNode }, { readonly error: unknown; readonly hasFailed: boolean }> {
  override state = { error: undefined, hasFailed: false }

  static getDerivedStateFromError(error: unknown) {
    return { error, hasFailed: true }
  }

  override render(): ReactNode {
    return this.state.hasFailed ? <Fallback error={this.state.error} /> : this.props.children
  }
}
