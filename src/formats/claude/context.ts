import { TranslationContext } from '../translation/context.ts'
import type { ClaudeMemory } from './memory.ts'

/** One message of Claude Code while the source turns it into events. */
export class ClaudeContext extends TranslationContext<ClaudeMemory> {}
