/** Shows Markdown of one line. */
import { Anchor, Code } from '@mantine/core'
import { type InlinePiece, readInline } from 'ferrule/internal'
import type { ReactNode } from 'react'

function Piece({ piece: { text, look, url } }: { readonly piece: InlinePiece }) {
  const shown = look === 'code' ? <Code>{text}</Code> : look === 'strong' ? <strong>{text}</strong> : text
  if (url?.startsWith('https://') !== true) return shown
  return (
    <Anchor href={url} target="_blank" rel="noreferrer" inherit underline="always">
      {shown}
    </Anchor>
  )
}

/** Shows a text with code, strong words and links. */
export function Inline({ text }: { readonly text: string }): ReactNode {
  return readInline(text).map((piece) => <Piece key={piece.at} piece={piece} />)
}
