/** A part of a page with a title. */
import { Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'

/** @param props `about`: one or two sentences below the title */
export function Section({ title, about, children }: { readonly title: string; readonly about?: string; readonly children: ReactNode }) {
  const id = useId()
  return (
    <Stack component="section" gap="sm" aria-labelledby={id}>
      <Title order={2} size="h3" id={id}>
        {title}
      </Title>
      {about !== undefined && <Text size="sm">{about}</Text>}
      {children}
    </Stack>
  )
}
