/** Shows an error: what is known, what to do next, and what to name when asking for help. */
import { Alert, Button, Code, Group, List, Stack, Text } from '@mantine/core'
import { FerruleError } from 'ferrule/core'
import { CopyButton } from './copy-button.tsx'
import { findNextStep } from './next-steps.ts'

/** Parts of an error that a page shows. */
export interface ShownError {
  readonly code: string
  readonly sentence: string
  readonly nextStep: string
  readonly places: readonly string[]
  readonly requestId: string | undefined
}

/** Describes any thrown value. */
export function describeError(error: unknown): ShownError {
  if (!(error instanceof FerruleError)) {
    const nextStep = 'Load the page again. If it happens again, report it with what you did before.'
    return {
      code: 'page_error',
      sentence: error instanceof Error ? error.message : String(error),
      nextStep,
      places: [],
      requestId: undefined,
    }
  }
  const { code, message, hint, errors, headers, upstream } = error
  const vendor = upstream?.message === undefined ? [] : [`The vendor says: ${upstream.message}`]
  const places = [...errors.map((each) => each.message), ...vendor]
  return { code, sentence: message, nextStep: findNextStep(code, hint), places, requestId: headers['x-request-id'] }
}

/** Shows an error with its next step. @param props `onRetry`: offers to try again */
export function ErrorBox({ error, title, onRetry }: { readonly error: unknown; readonly title?: string; readonly onRetry?: () => void }) {
  const { code, sentence, nextStep, places, requestId } = describeError(error)
  return (
    <Alert color="red" variant="light" title={title ?? 'This did not work'} role="alert">
      <Stack gap="xs">
        <Text size="sm">{sentence}</Text>
        {places.length > 0 && (
          <List size="sm">
            {places.map((place) => (
              <List.Item key={place}>{place}</List.Item>
            ))}
          </List>
        )}
        <Text size="sm" fw={600}>
          {nextStep}
        </Text>
        <Group gap="xs">
          <Code>{code}</Code>
          {requestId !== undefined && (
            <>
              <Text size="xs">
                Request <Code>{requestId}</Code>
              </Text>
              <CopyButton value={requestId} says="Copy the request id" />
            </>
          )}
          {onRetry !== undefined && (
            <Button size="compact-sm" variant="default" onClick={onRetry}>
              Try again
            </Button>
          )}
        </Group>
      </Stack>
    </Alert>
  )
}
