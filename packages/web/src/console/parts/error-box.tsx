/** Shows an error: what is known, what to do next, and what to name when asking for help. */
import { Alert, Code, Group, List, Stack, Text } from '@mantine/core'
import { CopyButton } from './copy-button.tsx'
import { describeError } from './describe-error.ts'
import { SmallButton, Strong } from './looks.tsx'

/** What the box shows. */
export interface ErrorBoxProps {
  /** null: nothing is shown. */
  readonly error: unknown
  readonly title?: string | undefined
  /** Offers to try again. */
  readonly onRetry?: () => void
  /** JSON pointers of fields that say their refusal themselves. */
  readonly marked?: readonly string[] | undefined
}

/** Shows an error with its next step; nothing without an error. */
export function ErrorBox({ error, title, onRetry, marked }: ErrorBoxProps) {
  if (error === null) return null
  const { code, sentence, nextStep, details, requestId } = describeError(error, marked)
  return (
    <Alert color="red" variant="light" title={title ?? 'This did not work'} role="alert">
      <Stack gap="xs">
        <Text size="sm">{sentence}</Text>
        {details.length > 0 && (
          <List size="sm">
            {details.map((detail) => (
              <List.Item key={detail}>{detail}</List.Item>
            ))}
          </List>
        )}
        <Strong>{nextStep}</Strong>
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
          {onRetry !== undefined && <SmallButton onClick={onRetry}>Try again</SmallButton>}
        </Group>
      </Stack>
    </Alert>
  )
}
