package reading

import (
	"encoding/base64"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// minEncoded is the length from which a text may be base64.
const minEncoded = 40

// Decoded is what base64 stands for.
type Decoded struct {
	Text string // if it is text
	File string // otherwise what file it is
	Size int    // in bytes
}

// DecodeBase64 decodes a whole text, if it is base64 of text or of a known file.
func DecodeBase64(text string) (Decoded, bool) {
	text = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' {
			return -1
		}
		return r
	}, strings.TrimSpace(text))
	if _, data, found := strings.Cut(text, ";base64,"); found && strings.HasPrefix(text, "data:") {
		text = data
	}
	if len(text) < minEncoded || strings.ContainsFunc(text, func(r rune) bool { return !isBase64(r) && r != '=' }) {
		return Decoded{}, false
	}
	encoding := base64.RawStdEncoding
	if strings.ContainsAny(text, "-_") {
		encoding = base64.RawURLEncoding
	}
	data, err := encoding.DecodeString(strings.TrimRight(text, "="))
	if err != nil {
		return Decoded{}, false
	}
	if plain, ok := textOf(data); ok {
		return Decoded{Text: plain, Size: len(data)}, true
	}
	file := fileOf(data)
	return Decoded{File: file, Size: len(data)}, file != ""
}

func isBase64(r rune) bool {
	return r < 0x80 && (isLetter(byte(r)) || r >= '0' && r <= '9' || strings.ContainsRune("+/-_", r))
}

// Encoded returns the pieces of a text that are base64 of something known, and what they
// stand for, at most so many.
func Encoded(text string, most int) (pieces []string, decoded []Decoded) {
	if len(text) < minEncoded {
		return nil, nil
	}
	if d, ok := DecodeBase64(text); ok {
		return []string{text}, []Decoded{d}
	}
	for start := 0; start < len(text) && len(pieces) < most; {
		end := start
		for end < len(text) && isBase64(rune(text[end])) {
			end++
		}
		if end-start >= minEncoded {
			if d, ok := DecodeBase64(text[start:end]); ok {
				pieces, decoded = append(pieces, text[start:end]), append(decoded, d)
			}
		}
		start = end + 1
	}
	return pieces, decoded
}

// textOf returns data as text, if all of it can be read.
func textOf(data []byte) (string, bool) {
	if text := string(data); utf8.ValidString(text) && isReadable(text) {
		return text, true
	}
	if len(data)%2 != 0 || len(data) < 8 || data[1] != 0 || data[3] != 0 {
		return "", false
	}
	units := make([]uint16, len(data)/2) // as PowerShell takes it
	for i := range units {
		units[i] = uint16(data[2*i]) | uint16(data[2*i+1])<<8
	}
	text := string(utf16.Decode(units))
	return text, isReadable(text)
}

func isReadable(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) && r != '\n' && r != '\r' && r != '\t' }) < 0
}

// magic is how files begin.
var magic = []struct{ begin, file string }{
	{"\x89PNG\r\n", "PNG image"}, {"\xff\xd8\xff", "JPEG image"}, {"GIF8", "GIF image"}, {"%PDF-", "PDF document"},
	{"PK\x03\x04", "ZIP archive"}, {"\x1f\x8b", "gzip archive"}, {"\x7fELF", "program for Linux"}, {"MZ", "program for Windows"},
	{"\xcf\xfa\xed\xfe", "program for macOS"}, {"SQLite format 3\x00", "SQLite database"}, {"\x00asm", "WebAssembly program"}, {"7z\xbc\xaf", "7z archive"}, {"BZh", "bzip2 archive"}, {"\xfd7zXZ", "xz archive"},
}

func fileOf(data []byte) string {
	for _, m := range magic {
		if strings.HasPrefix(string(data[:min(len(data), 20)]), m.begin) {
			return m.file
		}
	}
	return ""
}

// decode shows what a string holds: JSON, or base64 of text or a file. It looks into that
// once more.
func (r *reader) decode(text string, level int) []Block {
	const levels = 2
	if level > levels || len(text) < 4 || r.decodings >= maxDecodings {
		return nil
	}
	if v, ok := documentIn(text); ok {
		r.decodings++
		block := r.block(indentedJSON(v), JSON)
		block.Title = "JSON in this text, " + counted(countLines(block.Text), "line", "lines")
		blocks := []Block{block}
		for leaf := range v.Leaves() {
			if leaf.Type == String {
				blocks = append(blocks, r.decode(leaf.Text, level+1)...)
			}
		}
		return blocks
	}
	var blocks []Block
	_, decoded := Encoded(text, maxDecodings)
	for _, d := range decoded {
		if r.decodings >= maxDecodings {
			break
		}
		r.decodings++
		block := r.block(d.Text, LanguageOf(Value{Type: String, Text: d.Text}))
		block.Title = "base64 of " + strconv.Itoa(d.Size) + " bytes"
		if d.File != "" {
			block.Title += ": a " + d.File
		} else if block.Language != Prose {
			block.Title += ", " + string(block.Language)
		}
		blocks = append(append(blocks, block), r.decode(d.Text, level+1)...)
	}
	return blocks
}
