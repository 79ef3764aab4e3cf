import type { KnownPart, ResumedText } from '../memory.ts'

interface ResumedStreamingPart extends KnownPart {
  readonly resumedText: ResumedText
}

/** Whether a partial text is the beginning of the text that a resumed state holds already. */
export function startsResumed(part: KnownPart | undefined, text: string): part is ResumedStreamingPart {
  const resumed = part?.resumedText
  return resumed?.appended === undefined && resumed?.block.content.startsWith(text) === true
}
