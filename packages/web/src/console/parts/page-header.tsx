/** Shows the title of a page. */
import { Group, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
import { hasMoved } from '../data/tenant.ts'

/** @param props `children`: actions of the page, such as buttons */
export function PageHeader({ title, about, children }: { readonly title: string; readonly about?: string; readonly children?: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    // A later page takes the focus, so that the keyboard and readers of the screen follow.
    if (hasMoved()) heading.current?.focus({ preventScroll: true })
  }, [])
  useEffect(() => {
    document.title = `${title} · Ferrule`
  }, [title])
  return (
    <Group justify="space-between" align="flex-start" mb="md" gap="sm">
      <Stack gap={2}>
        <Title order={1} size="h2" ref={heading} tabIndex={-1}>
          {title}
        </Title>
        {about !== undefined && <Text c="dimmed">{about}</Text>}
      </Stack>
      {children !== undefined && <Group gap="xs">{children}</Group>}
    </Group>
  )
}
