/** What a page has of a document. Workers and servers have none. */
interface PageDocument {
  readonly visibilityState: string
  addEventListener(type: string, listener: () => void): void
  removeEventListener(type: string, listener: () => void): void
}

declare const document: PageDocument | undefined
declare const addEventListener: ((type: string, listener: (event: object) => void) => void) | undefined
declare const removeEventListener: (type: string, listener: (event: object) => void) => void

/**
 * Calls `wake` when the page may have slept: a connection that broke meanwhile shows no error. `isSure` says that it was frozen or offline. Returns a
 * function that ends it. Outside a page nothing happens.
 */
export function onWake(wake: (isSure: boolean) => void): () => void {
  if (typeof addEventListener !== 'function') return () => {}
  const page = typeof document === 'undefined' ? undefined : document
  const online = (): void => wake(true)
  const show = (event: object): void => wake('persisted' in event && event.persisted === true)
  const change = (): void => {
    if (page?.visibilityState === 'visible') wake(false)
  }
  const remove = removeEventListener
  addEventListener('online', online)
  addEventListener('pageshow', show)
  page?.addEventListener('visibilitychange', change)
  page?.addEventListener('resume', online)
  return () => {
    remove('online', online)
    remove('pageshow', show)
    page?.removeEventListener('visibilitychange', change)
    page?.removeEventListener('resume', online)
  }
}
