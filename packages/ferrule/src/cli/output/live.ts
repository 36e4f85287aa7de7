/** A table that is drawn again in its place whenever something changes. */
import { listColumns } from './cells.ts'
import type { Output } from './output.ts'
import { formatHead, formatLine, layOut } from './table.ts'

const sequence = '\u001b['

/** Draws the rows of each value until the last. The last table stays. */
export async function drawLive<T>(values: AsyncIterable<T>, toRows: (value: T) => readonly unknown[], output: Output): Promise<void> {
  const { stream, width, fields } = output.options
  let lines = 0
  for await (const value of values) {
    const rows = toRows(value)
    const layout = layOut(rows, fields ?? listColumns(rows, undefined), width)
    const text = formatHead(layout, stream) + rows.map((row) => formatLine(layout, row)).join('')
    const back = lines === 0 ? '' : `${sequence}${lines}A${sequence}J`
    lines = text.split('\n').length - 1
    await output.sink.writeBytes(back + text)
  }
}
