import { type ListEntry, timeOf } from './entry.ts'

/**
 * Since when the person has not looked. The time is in a cookie, because a second server has another port, and so another
 * storage. It is a number, and no server but those of this computer gets it.
 */
export class Looked {
  #before: number

  constructor(now: number) {
    this.#before = Math.max(cookieTime() ?? now - DAY_MS, now - MAX_MS)
  }

  /** Whether the person has looked since the session's last change. */
  isSeen(entry: ListEntry): boolean {
    return timeOf(entry) <= this.#before
  }

  /** The person has seen all sessions. */
  seeAll(now: number): void {
    this.#before = now
    // biome-ignore lint/suspicious/noDocumentCookie: the store of cookies is not in every browser
    document.cookie = `${COOKIE}=${now}; path=/; max-age=31536000; samesite=strict`
  }
}

const COOKIE = 'agentfold-looked'
const DAY_MS = 86_400_000
const MAX_MS = 7 * DAY_MS

function cookieTime(): number | undefined {
  const time = Number(new RegExp(`(?:^|; )${COOKIE}=(\\d+)`).exec(document.cookie)?.[1])
  return Number.isNaN(time) ? undefined : time
}
