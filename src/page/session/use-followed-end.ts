import { findConversation, type SessionConversationState, sessionStatus } from 'agentfold'
import { useSession } from 'agentfold/react'
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { failureBlockId } from '../../core/selectors/failure.ts'
import { doingIn } from '../../core/selectors/status.ts'
import type { Hold } from '../rows/hold.ts'
import { useNavigator } from '../rows/navigator.tsx'
import { fragmentOf, type PagePlace, placeIn } from '../rows/place.ts'

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

/**
 * Opens the page of a failed session at its failure, and that of one whose agent runs above others there, unless the
 * address names a place. A later change moves nothing.
 */
export function useOpenedAt(): void {
  const navigator = useNavigator()
  const fragment = useSession(placeAtFirst)
  const isOpened = useRef(location.hash !== '')
  useEffect(() => {
    if (fragment === undefined || isOpened.current) return
    isOpened.current = true
    const { conversationId = 'main', blockId } = placeIn(fragment) ?? {}
    if (blockId !== undefined) navigator.openAt(conversationId, blockId)
  }, [fragment, navigator])
}

/** Empty if the session has no such place. Undefined while there is no content. */
function placeAtFirst(state: SessionConversationState): string | undefined {
  if (state.blocks.length === 0) return undefined
  const failure = failureBlockId(state)
  const place = failure === undefined ? workAboveOthers(state) : { conversationId: 'main', blockId: failure }
  return place === undefined ? '' : fragmentOf(place)
}

/**
 * Returns the place of the agent that runs, if only later agents, which are over, stand between it and the end of the page.
 * Main may go on for long beside an agent in the background.
 */
export function workAboveOthers(state: SessionConversationState): PagePlace | undefined {
  if (sessionStatus(state) !== 'running') return undefined
  let place: PagePlace | undefined
  let isAbove = false
  let conversationId = 'main'
  const seen = new Set<string>()
  while (!seen.has(conversationId)) {
    seen.add(conversationId)
    const blocks = findConversation(state, conversationId)?.blocks ?? []
    const { block } = doingIn(blocks) ?? {}
    const isAgent = block?.type === 'subagent'
    const later = isAgent ? blocks.slice(blocks.indexOf(block) + 1) : []
    if (later.some(({ type }) => type !== 'subagent')) break
    if (block) place = { conversationId, blockId: block.id }
    if (!isAgent) break
    isAbove ||= later.length > 0
    conversationId = block.toolUseId
  }
  return isAbove ? place : undefined
}
