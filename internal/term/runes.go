package term

import "unicode"

// Characters that take no ink although Unicode files them under letters, marks or symbols, so that the
// categories alone would let them through (Unicode Default_Ignorable_Code_Point, and U+2800, U+FFFC).
var inkless = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x034F, Hi: 0x034F, Stride: 1}, // combining grapheme joiner
		{Lo: 0x115F, Hi: 0x1160, Stride: 1}, // Hangul fillers
		{Lo: 0x17B4, Hi: 0x17B5, Stride: 1}, // Khmer inherent vowels
		{Lo: 0x180B, Hi: 0x180D, Stride: 1}, // Mongolian variation selectors
		{Lo: 0x180F, Hi: 0x180F, Stride: 1},
		{Lo: 0x2800, Hi: 0x2800, Stride: 1}, // blank Braille pattern
		{Lo: 0x3164, Hi: 0x3164, Stride: 1}, // Hangul filler
		{Lo: 0xFE00, Hi: 0xFE0F, Stride: 1}, // variation selectors
		{Lo: 0xFFA0, Hi: 0xFFA0, Stride: 1}, // half-width Hangul filler
		{Lo: 0xFFFC, Hi: 0xFFFC, Stride: 1}, // object replacement
	},
	R32: []unicode.Range32{
		{Lo: 0x16FE4, Hi: 0x16FE4, Stride: 1}, // Khitan filler
		{Lo: 0xE0100, Hi: 0xE01EF, Stride: 1}, // further variation selectors
	},
}

// Symbols that emoji sequences are built on. Go has no Extended_Pictographic table; these blocks hold it,
// and a little more, which does no harm: what follows such a symbol is one selector or one joiner.
var pictographs = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x00A9, Hi: 0x00A9, Stride: 1}, {Lo: 0x00AE, Hi: 0x00AE, Stride: 1},
		{Lo: 0x203C, Hi: 0x203C, Stride: 1}, {Lo: 0x2049, Hi: 0x2049, Stride: 1},
		{Lo: 0x2122, Hi: 0x2122, Stride: 1}, {Lo: 0x2139, Hi: 0x2139, Stride: 1},
		{Lo: 0x2190, Hi: 0x21FF, Stride: 1}, // arrows
		{Lo: 0x2300, Hi: 0x23FF, Stride: 1}, // technical
		{Lo: 0x2460, Hi: 0x27BF, Stride: 1}, // enclosed letters to dingbats
		{Lo: 0x2900, Hi: 0x297F, Stride: 1}, {Lo: 0x2B00, Hi: 0x2BFF, Stride: 1},
		{Lo: 0x3030, Hi: 0x3030, Stride: 1}, {Lo: 0x303D, Hi: 0x303D, Stride: 1},
		{Lo: 0x3297, Hi: 0x3297, Stride: 1}, {Lo: 0x3299, Hi: 0x3299, Stride: 1},
	},
	R32: []unicode.Range32{{Lo: 0x1F000, Hi: 0x1FAFF, Stride: 1}},
}

// Scripts whose ordinary spelling needs the zero-width joiner and non-joiner (RFC 5892 appendix A).
var joining = []*unicode.RangeTable{
	unicode.Arabic, unicode.Syriac, unicode.Nko, unicode.Mongolian, unicode.Devanagari, unicode.Bengali,
	unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada,
	unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar,
}

const (
	nonJoiner = 0x200C
	joiner    = 0x200D
	textStyle = 0xFE0E // variation selector 15
	emoji     = 0xFE0F // variation selector 16
)

// hidden reports whether r must not reach a reader raw: controls, format characters (bidirectional,
// zero-width, tags), line and paragraph separators, private use, what Unicode has not assigned, and
// what takes no ink. Spaces of any width are text.
func hidden(r rune) bool {
	if r < 0x7F {
		return r < ' '
	}
	return !unicode.IsGraphic(r) || unicode.Is(inkless, r)
}

// styled reports whether r, standing behind prev, is the selector that picks the colour or the plain
// form of a symbol. Behind a symbol or a keycap digit there is room for exactly one, so nothing can be
// hidden in it.
func styled(prev, r rune) bool {
	return (r == emoji || r == textStyle) &&
		(unicode.Is(pictographs, prev) || prev >= '0' && prev <= '9' || prev == '#' || prev == '*')
}
