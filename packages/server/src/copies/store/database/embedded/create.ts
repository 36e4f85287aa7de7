// Creates an empty embedded database in a process of its own. Its argument is the folder. A thread of the service would keep 250 MB.
import { PGlite } from '@electric-sql/pglite'

const database = await PGlite.create(process.argv[2] ?? '')
await database.close()
process.exit(0)
