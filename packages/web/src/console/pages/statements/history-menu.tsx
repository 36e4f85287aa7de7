/** The statements that ran in this browser. */
import { Button, Menu, ScrollArea, Text } from '@mantine/core'

/** Characters of a statement that the menu shows. */
const shownCharacters = 90

const shorten = (statement: string): string => {
  const line = statement.replace(/\s+/g, ' ').trim()
  return line.length > shownCharacters ? `${line.slice(0, shownCharacters)}…` : line
}

/** Shows the menu; choosing a statement puts it into the editor, and does not run it. */
export function HistoryMenu({
  statements,
  onChoose,
  onClear,
}: {
  readonly statements: readonly string[]
  readonly onChoose: (statement: string) => void
  readonly onClear: () => void
}) {
  return (
    <Menu position="bottom-start" width={360}>
      <Menu.Target>
        <Button variant="default">History</Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Kept in this browser only; texts of statements, no results.</Menu.Label>
        {statements.length === 0 ? (
          <Text size="sm" p="xs">
            No statement ran here yet.
          </Text>
        ) : (
          <ScrollArea.Autosize mah={320}>
            {statements.map((statement) => (
              <Menu.Item key={statement} ff="monospace" fz="xs" onClick={() => onChoose(statement)}>
                {shorten(statement)}
              </Menu.Item>
            ))}
          </ScrollArea.Autosize>
        )}
        <Menu.Divider />
        <Menu.Item disabled={statements.length === 0} onClick={onClear}>
          Clear the history
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
