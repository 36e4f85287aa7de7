/** The program behind `npm start`. */
import { serve } from './surfaces/serve.ts'

await serve()
