import { decompress } from 'fzstd'
import { TranscriptError } from '../../reading/input/combined.ts'
import { readError } from './read-error.ts'

/**
 * Returns the decoder of a text that begins with these bytes. A byte order mark shows UTF-16, which PowerShell 5
 * writes. Other texts are UTF-8. Throws a `TranscriptError` for gzip.
 */
export function decoderOf(beginning: Uint8Array): TextDecoder {
  if (startsWith(beginning, GZIP))
    throw new TranscriptError('not-a-transcript', 'compressed by gzip: decompress it first')
  return new TextDecoder(encodingOf(beginning))
}

/** Decodes a whole file. */
export function decodeText(bytes: Uint8Array): string {
  return new TextDecoder(encodingOf(bytes)).decode(bytes)
}

/** Returns the encoding of a text that begins with these bytes. */
export function encodingOf(beginning: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (startsWith(beginning, [0xff, 0xfe])) return 'utf-16le'
  return startsWith(beginning, [0xfe, 0xff]) ? 'utf-16be' : 'utf-8'
}

/** The bytes that a mark has at most. */
export const MARK_LENGTH = 2

const GZIP = [0x1f, 0x8b]

function startsWith(bytes: Uint8Array, mark: readonly number[]): boolean {
  return mark.every((byte, at) => bytes[at] === byte)
}

/**
 * Whether the name is that of a compressed file. A program may compress files that nobody has used for some time, and
 * writes no more to them.
 */
export function isCompressed(path: string): boolean {
  return path.endsWith('.zst')
}

/** Returns the content of a compressed file. Throws a `TranscriptError` for a damaged one. */
export function decompressFile(path: string, bytes: Uint8Array): Uint8Array {
  try {
    return decompress(bytes)
  } catch (error) {
    throw readError(error, path)
  }
}
