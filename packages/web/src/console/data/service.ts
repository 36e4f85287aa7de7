/** What the service offers. */
import { useRead } from './ferrule.ts'

/** Reads the version of the service, and whether it has the sandbox. */
export const useService = () => useRead(['service'], (ferrule, signal) => ferrule.service({ signal }))

/** Returns whether the service has the sandbox; false until the service has answered. */
export const useHasSandbox = (): boolean => useService().data?.sandbox === true
