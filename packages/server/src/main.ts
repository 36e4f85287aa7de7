/** The program behind `npm start`. */
import { serve } from './main/serve.ts'

await serve()
