import { type SessionConversationState, sessionStatus } from 'agentfold'
import { useSession } from 'agentfold/react'
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { Hold } from '../rows/hold.ts'
import { useNavigator } from '../rows/navigator.tsx'
import { workAboveOthers } from './use-opened-at.ts'

export interface FollowedEnd<Growing extends HTMLElement> {
  /** The ref for the element that grows. */
  readonly growing: RefObject<Growing | null>
  readonly isAtEnd: boolean
  readonly goToEnd: () => void
}

interface FollowOptions {
  /** Whether the session may grow. */
  readonly isLive: boolean
  /** Whether the conversation is in the page. */
  readonly isShown: boolean
}

/** In the page's letter sizes. Nearer to the end, the button that leads there would cover the last line. */
const NEAR = 7

/**
 * Keeps the end of the page in view while it grows, unless the reader scrolled away from the end. A session that is over when the page
 * opens is read from its start.
 */
export function useFollowedEnd<Growing extends HTMLElement>({
  isLive,
  isShown,
}: FollowOptions): FollowedEnd<Growing> {
  const growing = useRef<Growing>(null)
  // The address may name another place.
  const isFollowing = useRef(isLive && location.hash === '')
  const [isAtEnd, setIsAtEnd] = useState(true)
  const follow = useCallback((next: boolean, isEnd = next) => {
    isFollowing.current = next
    setIsAtEnd(isEnd)
  }, [])
  const { hold } = useNavigator()
  useEffect(() => {
    if (isShown) return
    const before = isFollowing.current
    isFollowing.current = false
    return () => {
      isFollowing.current = before && location.hash === ''
    }
  }, [isShown])
  const isElsewhere = useSession(isElsewhereAtFirst)
  const isDecided = useRef(false)
  useLayoutEffect(() => {
    if (isElsewhere === undefined || isDecided.current) return
    isDecided.current = true
    if (isElsewhere) isFollowing.current = false
  }, [isElsewhere])
  useEffect(() => (isShown ? watchReader(follow, hold) : undefined), [follow, hold, isShown])
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      if (isFollowing.current) scrollToEnd()
      else setIsAtEnd(isEndInView())
    })
    if (growing.current) observer.observe(growing.current)
    return () => observer.disconnect()
  }, [])
  const goToEnd = useCallback(() => {
    hold.release()
    follow(true)
    scrollToEnd()
  }, [follow, hold])
  return { growing, isAtEnd, goToEnd }
}

/** Whether the page opens elsewhere than at its end. Undefined while there is no content. */
function isElsewhereAtFirst(state: SessionConversationState): boolean | undefined {
  if (state.blocks.length === 0) return undefined
  const isOver = !['running', 'waiting', 'background', 'idle'].includes(sessionStatus(state))
  return isOver || workAboveOthers(state) !== undefined
}

function watchReader(follow: (isFollowing: boolean, isAtEnd?: boolean) => void, hold: Hold): () => void {
  let last = window.scrollY
  const isHeld = (): boolean => hold.key !== undefined
  // The page stays at the place that the reader asked for, even if its end is in view.
  const unsubscribe = hold.subscribe(() => isHeld() && follow(false, isEndInView()))
  const onScroll = (): void => {
    const isUpwards = window.scrollY < last
    last = window.scrollY
    if (isHeld()) return follow(false, isEndInView())
    // Only a scroll upwards stops following: a growing page moves away from its end without the reader.
    if (isUpwards) follow(isEndInView() && window.scrollY > 0)
    else if (isEndInView()) follow(true)
  }
  // A reader who opens a detail wants to read it from its start.
  const onClick = ({ target }: MouseEvent): void => {
    if (target instanceof Element && target.closest('summary')) follow(false)
  }
  // First of all listeners: rows that appear because of the scroll move the end away.
  window.addEventListener('scroll', onScroll, { passive: true, capture: true })
  document.addEventListener('click', onClick)
  return () => {
    unsubscribe()
    window.removeEventListener('scroll', onScroll, { capture: true })
    document.removeEventListener('click', onClick)
  }
}

function isEndInView(): boolean {
  const { scrollHeight } = document.documentElement
  const near = NEAR * Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
  return scrollHeight - window.scrollY - window.innerHeight < near
}

function scrollToEnd(): void {
  window.scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' })
}
