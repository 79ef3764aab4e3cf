import { TranslationContext as AnyTranslation } from '../translation/context.ts'
import type { ClaudeMemory } from './memory.ts'

/** One message of Claude Code on its way into events. */
export class ClaudeContext extends AnyTranslation<ClaudeMemory> {}
