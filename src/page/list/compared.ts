import { type Context, createContext } from 'react'

/** The id of the session with which each row is compared. Empty if a row leads to its session. */
export const ComparedContext: Context<string> = createContext('')

/** Returns the address of two sessions side by side. */
export function compareAddress(left: string, right: string): string {
  return `compare?${new URLSearchParams({ of: left, with: right })}`
}
