/** Shows an error: what is known, what to do next, and what to name when asking for help. */
import { Alert, Button, Code, Group, List, Stack, Text } from '@mantine/core'
import { FerruleError, type Problem } from 'ferrule/core'
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

/** Takes the refusals of places out of the sentence of an error: each is said once. */
function shorten(message: string, refusals: readonly string[]): string {
  const starts = refusals.map((each) => message.indexOf(each.replace(/\.$/, '')))
  const start = Math.min(...starts)
  if (starts.length === 0 || start <= 0) return message
  return `${message.slice(0, start).replace(/[\s:;,]+$/, '')}.`
}

/** Describes any thrown value. @param marked JSON pointers of fields that say their refusal themselves */
export function describeError(error: unknown, marked: readonly string[] = []): ShownError {
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
  const isMarked = ({ field }: Problem) => marked.some((at) => field === at || field.startsWith(`${at}/`))
  const refusals = errors.filter((each) => !isMarked(each)).map((each) => each.message)
  const sentence = shorten(
    message,
    errors.map((each) => each.message),
  )
  const places = [...refusals, ...vendor].filter((each) => each.replace(/\.$/, '') !== sentence.replace(/\.$/, ''))
  return { code, sentence, nextStep: findNextStep(code, hint), places, requestId: headers['x-request-id'] }
}

/** What the box shows. */
export interface ErrorBoxProps {
  readonly error: unknown
  readonly title?: string
  /** Offers to try again. */
  readonly onRetry?: () => void
  /** JSON pointers of fields that say their refusal themselves. */
  readonly marked?: readonly string[]
}

/** Shows an error with its next step. */
export function ErrorBox({ error, title, onRetry, marked }: ErrorBoxProps) {
  const { code, sentence, nextStep, places, requestId } = describeError(error, marked)
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
