import { Translation as AnyTranslation } from '../translation.ts'
import type { ClaudeMemory } from './memory.ts'

/** One message of Claude Code on its way into events. */
export class Translation extends AnyTranslation<ClaudeMemory> {}
