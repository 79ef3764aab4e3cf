import { createContext, type ReactNode, useCallback, useContext, useState, useSyncExternalStore } from 'react'
import { Choices } from './choices.ts'

/** The details that the reader opened or closed. */
export class OpenState extends Choices {
  readonly #chosen = new Map<string, boolean>()
  #all: boolean | undefined
  #isPrinting = false

  get isPrinting(): boolean {
    return this.#isPrinting
  }

  isOpen(key: string, byDefault: boolean): boolean {
    return this.#isPrinting || (this.#chosen.get(key) ?? this.#all ?? byDefault)
  }

  set(key: string, isOpen: boolean): void {
    this.#chosen.set(key, isOpen)
    this.changed()
  }

  /** Opens the keys in one change. */
  open(keys: readonly string[]): void {
    for (const key of keys) this.#chosen.set(key, true)
    this.changed()
  }

  /** Opens or closes everything. */
  setAll(isOpen: boolean): void {
    this.#chosen.clear()
    this.#all = isOpen
    this.changed()
  }

  /** A printed page has no buttons, so everything is open on it. */
  setPrinting(isPrinting: boolean): void {
    this.#isPrinting = isPrinting
    this.changed()
  }
}

const OpenContext = createContext(new OpenState())

export const OpenProvider = ({
  open,
  children,
}: {
  readonly open: OpenState
  readonly children: ReactNode
}): ReactNode => <OpenContext.Provider value={open}>{children}</OpenContext.Provider>

export function useOpenState(): OpenState {
  return useContext(OpenContext)
}

/** Whether the page is printed. A printed page has everything. */
export function useIsPrinting(): boolean {
  const open = useOpenState()
  const isPrinting = (): boolean => open.isPrinting
  return useSyncExternalStore(open.subscribe, isPrinting, isPrinting)
}

/** Returns whether the detail with that key is open, and a function that opens or closes it. The default counts at the first render. */
export function useOpen(key: string, byDefault = false): readonly [boolean, () => void] {
  const open = useOpenState()
  const [first] = useState(byDefault)
  const isOpen = useSyncExternalStore(open.subscribe, () => open.isOpen(key, first))
  const toggle = useCallback(() => open.set(key, !open.isOpen(key, first)), [open, key, first])
  return [isOpen, toggle]
}
