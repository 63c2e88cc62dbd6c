package profile

// variable is a template of the prompt (OAP SPEC, variables).
var variable = lazy(`\$\{\{\s*vars\.([A-Za-z_][A-Za-z0-9_]*)\s*\}\}`)

// Variables gives the names that a text's templates ask for, in order, each as often as it stands there.
func Variables(text string) []string {
	var names []string
	for _, m := range variable().FindAllStringSubmatch(text, -1) {
		names = append(names, m[1])
	}
	return names
}

// FillIn replaces each template of a text by what value gives for its name, and leaves it where value has
// nothing. What value gives is text: no template in it is looked at again.
func FillIn(text string, value func(name string) (string, bool)) string {
	return variable().ReplaceAllStringFunc(text, func(m string) string {
		if with, ok := value(variable().FindStringSubmatch(m)[1]); ok {
			return with
		}
		return m
	})
}
