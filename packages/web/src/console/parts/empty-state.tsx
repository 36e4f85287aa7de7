/** Shows that there is nothing yet, and leads to the next step. */
import { Center, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

/** @param props `children`: the next step, such as a button */
export function EmptyState({ title, says, children }: { readonly title: string; readonly says: string; readonly children?: ReactNode }) {
  return (
    <Center py="xl">
      <Stack align="center" gap="sm" maw={480}>
        <Title order={2} size="h3" ta="center">
          {title}
        </Title>
        <Text ta="center">{says}</Text>
        {children}
      </Stack>
    </Center>
  )
}
