/* Prints the name of every algorithm and the implementation that serves, for comparing. */
#include <fieldtest.h>
#include <stdio.h>

int main(void)
{
    const ft_algorithm *algorithm;
    for (size_t i = 0; (algorithm = ft_algorithm_at(i)) != NULL; i++) {
        const ft_implementation *code;
        int found = ft_implementation_find(algorithm, NULL, &code);
        printf("%s %s\n", ft_algorithm_name(algorithm), found == FT_OK ? ft_implementation_name(code) : "none");
    }
    return 0;
}
