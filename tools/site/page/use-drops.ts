import { useEffect } from 'react'

interface DropHandlers {
  /** Whether something is held over the page. */
  readonly onOver: (isOver: boolean) => void
  readonly onItems: (items: DataTransferItemList) => void
  readonly onText: (text: string) => void
}

/** Listens for files, folders and texts that are dropped anywhere on the page, and for texts that are pasted outside a field. */
export function useDrops({ onOver, onItems, onText }: DropHandlers): void {
  useEffect(() => {
    const stop = new AbortController()
    const listen = { signal: stop.signal }
    document.addEventListener(
      'dragover',
      (event) => {
        event.preventDefault()
        onOver(true)
      },
      listen,
    )
    document.addEventListener(
      'dragleave',
      ({ relatedTarget }) => {
        if (relatedTarget === null) onOver(false)
      },
      listen,
    )
    document.addEventListener(
      'drop',
      (event) => {
        event.preventDefault()
        onOver(false)
        const { dataTransfer } = event
        if (!dataTransfer) return
        if (dataTransfer.types.includes('Files')) onItems(dataTransfer.items)
        else onText(dataTransfer.getData('text/plain'))
      },
      listen,
    )
    document.addEventListener(
      'paste',
      ({ target, clipboardData }) => {
        const text = clipboardData?.getData('text/plain') ?? ''
        if (!(target instanceof HTMLInputElement) && text.trim() !== '') onText(text)
      },
      listen,
    )
    return () => stop.abort()
  }, [onOver, onItems, onText])
}
