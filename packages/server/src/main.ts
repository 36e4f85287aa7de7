/** The program behind `npm start`. */
import { serve } from './service/serve.ts'

await serve()
