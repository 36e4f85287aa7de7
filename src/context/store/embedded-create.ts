// A process that makes an empty embedded database and ends. Its argument is the folder. A thread of the service would do it too, but the
// 250 MB that it takes would stay with the service.
import { PGlite } from '@electric-sql/pglite'

const database = await PGlite.create(process.argv[2] ?? '')
await database.close()
process.exit(0)
