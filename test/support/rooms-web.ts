/** Rooms of what people open in a browser. */
import { type Room, within } from './room.ts'

const web = 'packages/web/src/'
const console = `${web}console/`

/** Entries of the library that pages take: in browsers, and without the kinds. */
const entries = ['ferrule/core', 'ferrule/wire', 'ferrule/internal', 'ferrule/definition']
const react = ['react', 'react-dom']
const kit = [
  ...react,
  '@mantine/core',
  '@mantine/hooks',
  '@tanstack/react-query',
  '@tabler/icons-react',
  '@tanstack/react-virtual',
  'wouter',
]
/** What only a page that is loaded with its first use may hold. */
const large = ['uplot', '@codemirror/*', '@lezer/highlight', 'ferrule/kind.schema.json?raw']

/** The rooms of the pages in their order. No room of ours imports them, and they import nothing of the service. */
export const webRooms: readonly Room[] = [
  { room: `${web}shared/`, npm: [...react, ...entries] },
  // Small: no kit, and no hosted client.
  { room: `${web}connect/`, files: [`${web}shared/`], npm: [...react, 'ferrule/wire'] },
  { room: `${web}docs/`, files: [`${web}shared/`], npm: ['minisearch', 'ferrule/internal'] },
  { room: `${console}data/`, files: [`${web}shared/`], npm: [...kit, ...entries] },
  { room: `${console}parts/`, files: [`${web}shared/`, `${console}data/`], npm: [...kit, ...large, ...entries] },
  {
    // A page imports no other page: it would load it.
    room: `${console}pages/<page>/`,
    files: [`${web}shared/`, ...within(console, ['data/', 'parts/'])],
    npm: [...kit, ...large, ...entries, 'ferrule/import'],
  },
  { room: `${console}pages.ts`, files: [`${console}pages/`], npm: ['react', '@tabler/icons-react'] },
  { room: `${console}shell/`, files: [`${web}shared/`, ...within(console, ['data/', 'parts/', 'pages.ts'])], npm: [...kit, ...entries] },
  { room: console, files: [`${web}shared/`, ...within(console, ['data/', 'shell/'])], npm: kit },
]
