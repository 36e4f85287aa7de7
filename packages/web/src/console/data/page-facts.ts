/** What the service says about this page in its HTML. */

const readMeta = (name: string): string => document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? ''

/** Nonce of style elements, which the page's policy asks for. */
export const styleNonce = readMeta('csp-nonce')

/** Path of a proxy in front of the service, without a slash at its end; '' without one. */
export const basePath = readMeta('base-path')

/** Path of the console. */
export const consolePath = `${basePath}/console`
