"""Registrations of the right shape, by number: a token belongs to the installation of the same number."""

MALFORMED = "not-a-registration"


def fid(number):
    return "d" + str(number).rjust(21, "0")


def token(number):
    return fid(number) + ":APA91b" + "A" * 120
