export interface ImageSize {
  readonly width: number
  readonly height: number
}

/** The size stands within the first kilobytes. In characters of base64. */
const BEGINNING = 400_000

/** Returns the size that an image names, in pixels. Undefined for other types than PNG, JPEG, GIF and WebP, and for faulty data. */
export function imageSize(base64: string): ImageSize | undefined {
  const view = beginningOf(base64)
  try {
    return view && sizeIn(view)
  } catch (error) {
    // The data ends before the size.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function beginningOf(base64: string): DataView | undefined {
  const text = base64.slice(0, BEGINNING).replace(/\s/g, '')
  try {
    const bytes = atob(text.slice(0, text.length - (text.length % 4)))
    return new DataView(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)).buffer)
  } catch {
    return undefined
  }
}

function sizeIn(view: DataView): ImageSize | undefined {
  switch (view.getUint32(0)) {
    case 0x89504e47:
      return { width: view.getUint32(16), height: view.getUint32(20) }
    case 0x47494638:
      return gifSize(view)
    case 0x52494646:
      return webpSize(view)
    default:
      return view.getUint16(0) === 0xffd8 ? jpegSize(view) : undefined
  }
}

/** The frame of a JPEG has its size. The parts before it are skipped. */
function jpegSize(view: DataView): ImageSize | undefined {
  for (let at = 2; view.getUint8(at) === 0xff; ) {
    const marker = view.getUint8(at + 1)
    if (marker === 0xff) at += 1
    else if (marker >= 0xc0 && marker <= 0xcf && !TABLES.has(marker))
      return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) }
    else at += 2 + view.getUint16(at + 2)
  }
  return undefined
}

/** These markers stand among those of frames. */
const TABLES: ReadonlySet<number> = new Set([0xc4, 0xc8, 0xcc])

/** Browsers draw the first frame whole, even if it is larger than the image. */
function gifSize(view: DataView): ImageSize | undefined {
  const flags = view.getUint8(10)
  let at = 13 + colorBytes(flags)
  while (view.getUint8(at) === 0x21) {
    at += 2
    while (view.getUint8(at) > 0) at += 1 + view.getUint8(at)
    at += 1
  }
  if (view.getUint8(at) !== 0x2c) return undefined
  const end = (place: number) => view.getUint16(at + place, true) + view.getUint16(at + place + 4, true)
  return {
    width: Math.max(view.getUint16(6, true), end(1)),
    height: Math.max(view.getUint16(8, true), end(3)),
  }
}

function colorBytes(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0
}

function webpSize(view: DataView): ImageSize | undefined {
  switch (view.getUint32(12)) {
    case 0x56503858: // VP8X
      return { width: 1 + threeBytes(view, 24), height: 1 + threeBytes(view, 27) }
    case 0x5650384c: {
      // VP8L
      const bits = view.getUint32(21, true)
      return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) }
    }
    case 0x56503820: // VP8
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
    default:
      return undefined
  }
}

function threeBytes(view: DataView, at: number): number {
  return view.getUint16(at, true) + (view.getUint8(at + 2) << 16)
}
