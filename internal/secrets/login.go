package secrets

import "strings"

// The flags of curl (curl(1)) that take user:password. Others use the long one, and for other things, too.
const (
	loginShort = "-u"
	loginLong  = "--user"
	loginProxy = "--proxy-user"
)

func loginFlag(name string) bool {
	return name == loginShort || name == loginLong || name == loginProxy
}

// login judges what stands behind a flag or, as in -uname:password, in it. before is the text in front of the flag,
// rest what follows the flag and one more byte.
func login(name, before, rest string) bool {
	curl := mentionsCurl(before)
	if loginFlag(name) {
		return (curl || name != loginShort) && userPassword(valueAfter(rest), curl)
	}
	user, attached := strings.CutPrefix(name, loginShort)
	return attached && curl && userPassword(user+":"+valueAfter(rest), curl)
}

// mentionsCurl looks for the command a little in front of its flag; a bound keeps the time linear.
func mentionsCurl(s string) bool {
	return strings.Contains(s[max(0, len(s)-256):], "curl")
}

// userPassword finds a literal password in user:password. Programs take user:group in the same place, so it has to
// have letters and digits; where it is surely a password, it may be shorter, and signs will do for digits.
func userPassword(s string, surely bool) bool {
	user, password, ok := strings.Cut(s, ":")
	if !ok || user == "" || password == "" || len(s) > 512 || strings.ContainsAny(user, "/ \t") ||
		reference(user) || address(strings.ToLower(s)) || placeholder(password) {
		return false
	}
	if surely {
		return len(password) >= 6 && (has(password, digits) || has(password, signs)) &&
			(has(password, lower) || has(password, upper))
	}
	return len(password) >= 8 && mixed(password, "") && entropy(password) >= 2.5 && !strings.ContainsAny(password, " \t\r\n:")
}
